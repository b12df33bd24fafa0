//! Fluids by position-based dynamics: liquids and smoke that push and are pushed.
