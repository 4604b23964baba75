import { readFile } from 'node:fs/promises';

const HIDDEN = 'await import(/* @vite-ignore */ specifier)';
const PLAIN = "await (specifier === 'drizzle-orm' ? import('drizzle-orm') : import('drizzle-orm/sql'))";

/** rate-limiter-flexible hides what it imports from bundlers, and would look for it where the bundle runs. */
export const limiterImports = {
  name: 'limiter imports',
  setup({ onLoad }) {
    onLoad({ filter: /rate-limiter-flexible[\\/]lib[\\/]RateLimiterDrizzle\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes(HIDDEN)) throw new Error(`${path} imports in another way`);
      return { contents: text.replace(HIDDEN, PLAIN) };
    });
  },
};
