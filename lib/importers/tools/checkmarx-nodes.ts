import { z } from 'zod';
import { fields, number, text } from '../read/schema.ts';
import type { Node } from './checkmarx-results.ts';

/** A step in the results and reports of Checkmarx One. */
export const OneNode = z.object({
  fileName: text,
  line: number,
  column: number,
  ...fields(text, 'name', 'node', 'method', 'code'),
});

export const nodeOf = ({ fileName, node, name = node, ...rest }: z.output<typeof OneNode>): Node => ({
  ...rest,
  file: fileName,
  name,
});
