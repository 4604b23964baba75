import { object } from './fake.ts';

/* The nodes of Atlassian Document Format that the service writes. A text must not be empty. */

const TEXT = object({
  type: { const: 'text' },
  text: { type: 'string', minLength: 1 },
  'marks?': {
    type: 'array',
    items: {
      anyOf: [
        object({ type: { const: 'strong' } }),
        object({
          type: { const: 'link' },
          attrs: object({ href: { type: 'string', pattern: '^https?://' } }),
        }),
      ],
    },
  },
});
const PLAIN = object({ type: { const: 'text' }, text: { type: 'string', minLength: 1 } });
const list = (items: Record<string, unknown>) => ({ type: 'array', minItems: 1, items });
const PARAGRAPH = object({ type: { const: 'paragraph' }, content: list(TEXT) });

/** A document. */
export const ADF = object({
  type: { const: 'doc' },
  version: { const: 1 },
  content: list({
    anyOf: [
      PARAGRAPH,
      object({
        type: { const: 'heading' },
        attrs: object({ level: { type: 'integer', minimum: 1, maximum: 6 } }),
        content: list(TEXT),
      }),
      object({ type: { const: 'codeBlock' }, content: list(PLAIN) }),
      object({
        type: { const: 'bulletList' },
        content: list(object({ type: { const: 'listItem' }, content: list(PARAGRAPH) })),
      }),
    ],
  }),
});
