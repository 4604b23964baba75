import { inlineCode, joined } from '../text/markdown.ts';

/** A step of a data flow. */
export interface Step {
  /** As `relativePath` returns it. */
  file?: string | undefined;
  line?: number | undefined;
  /** Describes the step: a name, a line of code, a message. */
  what?: string | undefined;
}

/** A data flow from source to sink as a Markdown list; undefined if it has fewer than two steps. */
export function describeFlow(steps: readonly Step[], title = 'Data flow'): string | undefined {
  const lines = steps.flatMap(({ file, line, what }) => {
    const place = file ? inlineCode(`${file}${line && line > 0 ? `:${line}` : ''}`) : '';
    const text = what?.trim() ? inlineCode(what) : '';
    return place || text ? [joined([place, text], ' ')] : [];
  });
  const distinct = lines.filter((line, index) => line !== lines[index - 1]);
  if (distinct.length < 2) return undefined;
  const shown =
    distinct.length > MAX_STEPS
      ? [...distinct.slice(0, MAX_STEPS - 1), `… (${distinct.length - MAX_STEPS} more)`, distinct.at(-1)]
      : distinct;
  return `${title}:\n\n${shown.map((line, index) => `${index + 1}. ${line}`).join('\n')}`;
}

const MAX_STEPS = 40;
