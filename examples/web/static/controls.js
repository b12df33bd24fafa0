// What the player does with mouse, fingers and wheel: holding, cutting, turning the view.

export class Controls {
  // `guarded` runs what may fail, `edit` what changes the scene.
  constructor(canvas, state, guarded, edit) {
    Object.assign(this, { canvas, state, guarded, edit, tool: "hand" });
    // The pointers on the canvas, by number: where they are.
    this.pointers = new Map();
    this.mode = "none";
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.up(event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.state.camera?.zoom(Math.exp(0.0012 * event.deltaY));
    }, { passive: false });
  }

  // Returns the origin and the direction of the sight line through a place of the canvas.
  ray([x, y]) {
    const { canvas, state: { camera } } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    const direction = camera.direction((2 * x) / width - 1, 1 - (2 * y) / height, width / height);
    return [camera.eye, direction].map((vector) => new Float32Array(vector));
  }

  down(event) {
    if (!this.state.page || this.state.failed) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.focus();
    const place = [event.clientX, event.clientY];
    this.pointers.set(event.pointerId, place);
    this.edit(() => this.begin(place, event.button === 0, this.pointers.size > 1));
  }

  begin(place, isMain, isSecond) {
    if (isSecond) {
      this.end();
      this.mode = "pinch";
    } else if (isMain && this.tool === "knife") {
      this.mode = "cut";
      this.cutFrom = place;
    } else if (isMain && this.grab(place)) {
      this.mode = "hold";
    } else {
      this.mode = "turn";
    }
    this.canvas.classList.toggle("held", this.mode !== "cut");
    this.canvas.classList.toggle("cutting", this.mode === "cut");
  }

  grab(place) {
    const [origin, direction] = this.ray(place);
    const forward = new Float32Array(this.state.camera.axes.forward);
    return this.guarded(() => this.state.page.grab(origin, direction, forward)) ?? false;
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const place = [event.clientX, event.clientY];
    const height = this.canvas.clientHeight;
    const [across, up] = [(place[0] - before[0]) / height, (place[1] - before[1]) / height];
    if (this.mode === "turn") this.state.camera.turn(across, up);
    if (this.mode === "pinch") {
      const apart = () => {
        const [a, b] = [...this.pointers.values()];
        return Math.hypot(a[0] - b[0], a[1] - b[1]);
      };
      const distance = apart();
      this.pointers.set(event.pointerId, place);
      this.state.camera.zoom(distance / Math.max(1, apart()));
      this.state.camera.turn(0.5 * across, 0.5 * up);
    }
    this.pointers.set(event.pointerId, place);
    this.target = place;
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    this.edit(() => {
      this.end();
      this.mode = this.pointers.size > 0 ? "turn" : "none";
      if (this.mode === "none") this.canvas.classList.remove("held", "cutting");
    });
  }

  end() {
    const { page } = this.state;
    if (this.mode === "cut") this.guarded(() => this.cut());
    if (this.mode === "hold" && page) this.guarded(() => page.release());
    this.target = null;
  }

  // Does before a step what the pointer has done since the last one.
  apply() {
    if (this.mode === "hold" && this.target) {
      this.state.page.drag(...this.ray(this.target));
      this.target = null;
    }
    if (this.mode === "cut") this.cut();
  }

  cut() {
    const to = this.target;
    if (!to || Math.hypot(to[0] - this.cutFrom[0], to[1] - this.cutFrom[1]) < 6) return;
    const [origin, from] = this.ray(this.cutFrom);
    this.state.page.cut(origin, from, this.ray(to)[1]);
    this.cutFrom = to;
    this.target = null;
  }
}
