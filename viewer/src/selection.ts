// Which step the charts show: one of them, or all.

export class Selection {
  #step: number | null = null;
  #listeners: ((step: number | null) => void)[] = [];

  /** The step's number; `null`: all. */
  get step(): number | null {
    return this.#step;
  }

  select(step: number | null): void {
    if (step === this.#step) return;
    this.#step = step;
    for (const listener of this.#listeners) listener(step);
  }

  onChange(listener: (step: number | null) => void): void {
    this.#listeners.push(listener);
  }
}
