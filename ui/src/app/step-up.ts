/** A step-up that the user is asked for. */
interface StepUp {
  /** The password that the user entered in the form of the call. */
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
    /** Asks the user. Concurrent calls wait for the same answer. @returns whether the user confirmed */
    ask(password?: string): Promise<boolean> {
      if (!current) set({ password });
      return new Promise((resolve) => waiting.push(resolve));
    },
    /** Repeats the waiting calls, or lets them fail. */
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
