import { createStore } from './store.ts';

/** A step-up that the user is asked for. */
interface StepUp {
  /** The password that the user entered in the form of the call. */
  password: string | undefined;
}

const current = createStore<StepUp | undefined>(undefined);
let waiting: ((confirmed: boolean) => void)[] = [];

export const stepUps = {
  current,
  /** Asks the user. Concurrent calls wait for the same answer. @returns whether the user confirmed */
  ask(password?: string): Promise<boolean> {
    if (!current.get()) current.set({ password });
    return new Promise((resolve) => waiting.push(resolve));
  },
  /** Repeats the waiting calls, or lets them fail. */
  answer(confirmed: boolean): void {
    const all = waiting;
    waiting = [];
    current.set(undefined);
    for (const resolve of all) resolve(confirmed);
  },
};
