/** Lets so many in at a time; the others wait in the order they came. */
export interface Turns {
  /** Calls `begin` when there is room: at once, or later. What it is given is to be called when done. */
  enter(begin: (leave: () => void) => void): void;
  /** How many are in. */
  inside(): number;
}

export function createTurns(room: number): Turns {
  const waiting: (() => void)[] = [];
  let free = room;
  function start(begin: (leave: () => void) => void): void {
    let left = false;
    begin(() => {
      if (left) return;
      left = true;
      const next = waiting.shift();
      if (next) next();
      else free++;
    });
  }
  return {
    enter(begin) {
      if (free === 0) {
        waiting.push(() => start(begin));
        return;
      }
      free--;
      start(begin);
    },
    inside: () => room - free,
  };
}
