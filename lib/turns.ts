/** Lets so many in at a time; the others wait in the order they came. */
export interface Turns {
  /** Resolves when there is room; call what it gives when done. */
  enter(): Promise<() => void>;
}

export function createTurns(room: number): Turns {
  const waiting: (() => void)[] = [];
  let free = room;
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return {
    async enter() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      let left = false;
      return () => {
        if (!left) leave();
        left = true;
      };
    },
  };
}
