/** Calls that wait until the user has confirmed who they are. */
interface StepUp {
  /** What the user has just typed into the form the call comes from. */
  password: string | undefined;
}

function createStepUps() {
  const listeners = new Set<() => void>();
  let current: StepUp | undefined;
  let waiting: ((confirmed: boolean) => void)[] = [];
  const set = (value: StepUp | undefined) => {
    current = value;
    for (const listener of listeners) listener();
  };
  return {
    /** Has the user asked. Calls that come meanwhile wait for the same answer. @returns whether it was confirmed */
    ask(password?: string): Promise<boolean> {
      if (!current) set({ password });
      return new Promise((resolve) => waiting.push(resolve));
    },
    /** Lets the calls go on, or fail. */
    answer(confirmed: boolean): void {
      const all = waiting;
      waiting = [];
      set(undefined);
      for (const resolve of all) resolve(confirmed);
    },
    current: () => current,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const stepUps = createStepUps();
