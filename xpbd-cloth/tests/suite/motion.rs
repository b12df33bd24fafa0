//! Cloth and ropes in a world.
