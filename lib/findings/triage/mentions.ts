/*
 * A comment mentions a member as `@[Ada Lovelace](user-id)`, which is Markdown. The name is for readers of the text; the id
 * decides who is mentioned.
 */

/** A member as the organization sees them. */
export interface MentionedMember {
  id: string;
  name: string;
}

const MENTION = /@\[([^[\]\n]{1,200})\]\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)/gi;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Replaces the parts of a Markdown text that are not code: a block between fences, of which the last may be missing, or text
 * between backticks in one line.
 */
function outsideCode(text: string, replace: (part: string) => string): string {
  const parts: string[] = [];
  let prose = '';
  let fence: string | undefined;
  const code = (part: string) => {
    parts.push(replace(prose), part);
    prose = '';
  };
  for (const line of text.split(/(?<=\n)/)) {
    const [, marks] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      code(line);
      if (marks?.startsWith(fence) && line.trim() === marks) fence = undefined;
    } else if (marks !== undefined) {
      code(line);
      fence = marks;
    } else {
      for (const part of partsOfLine(line)) {
        if (part.isCode) code(part.text);
        else prose += part.text;
      }
    }
  }
  return parts.join('') + replace(prose);
}

/** Splits a line at its code. As many backticks as before it end it. */
function partsOfLine(line: string): { text: string; isCode: boolean }[] {
  const runs = [...line.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ index, length }));
  const lastOf = new Map(runs.map(({ length }, i) => [length, i]));
  const parts: { text: string; isCode: boolean }[] = [];
  let end = 0;
  for (let i = 0; i < runs.length; i++) {
    const { index, length } = runs[i] as (typeof runs)[number];
    if ((lastOf.get(length) ?? i) <= i) continue;
    do i++;
    while (runs[i]?.length !== length);
    const after = (runs[i]?.index ?? 0) + length;
    parts.push(
      { text: line.slice(end, index), isCode: false },
      { text: line.slice(index, after), isCode: true },
    );
    end = after;
  }
  return [...parts, { text: line.slice(end), isCode: false }];
}

/** The ids that a comment mentions, each once. */
export function mentionedIds(text: string): string[] {
  if (text.search(MENTION) < 0) return [];
  const ids = new Set<string>();
  outsideCode(text, (part) => {
    for (const [, , id = ''] of part.matchAll(MENTION)) ids.add(id.toLowerCase());
    return part;
  });
  return [...ids];
}

/** A name that stands in a mention. */
const inMention = (name: string): string => name.replace(/[[\]\s]+/g, ' ').trim();

/** Members that their name alone identifies, by the name as a mention has it. */
function byName(members: readonly MentionedMember[]): Map<string, MentionedMember> {
  const names = new Map<string, MentionedMember>();
  const repeated = new Set<string>();
  for (const member of members) {
    const name = inMention(member.name);
    if (names.has(name) || name === '') repeated.add(name);
    names.set(name, member);
  }
  for (const name of repeated) names.delete(name);
  return names;
}

/** The text of a mention in a text field: `@Ada Lovelace`, or the stored form if other members have that name. */
export function typedMention(member: MentionedMember, members: readonly MentionedMember[]): string {
  const name = inMention(member.name);
  return byName(members).get(name)?.id === member.id ? `@${name}` : storedMention(member);
}

const storedMention = ({ id, name }: MentionedMember): string => `@[${inMention(name) || 'member'}](${id})`;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** A comment as its author typed it, with the names of members as mentions. */
export function toStored(typed: string, members: readonly MentionedMember[]): string {
  const names = byName(members);
  if (names.size === 0) return typed;
  // Longer names first, so that “Ada Lovelace” is not a mention of “Ada”.
  const longest = [...names.keys()].toSorted((a, b) => b.length - a.length).map(escaped);
  const mention = new RegExp(`(^|[^\\p{L}\\p{N}_@])@(${longest.join('|')})(?![\\p{L}\\p{N}_])`, 'gu');
  return outsideCode(typed, (part) =>
    part.replace(mention, (whole, before: string, name: string) => {
      const member = names.get(name);
      return member ? before + storedMention(member) : whole;
    }),
  );
}

/** A stored comment as its author edits it: the opposite of {@link toStored}. Mentions of former members stay as they are. */
export function toTyped(stored: string, members: readonly MentionedMember[]): string {
  return outsideCode(stored, (part) =>
    part.replace(MENTION, (whole, _name, id: string) => {
      const member = members.find((one) => one.id === id.toLowerCase());
      return member ? typedMention(member, members) : whole;
    }),
  );
}

/** The name of a mention of a deleted account. */
export const DELETED_USER = 'Deleted user';

/** A text with `@name` for each mention, for readers of plain text. */
export const withoutMentions = (text: string): string => text.replace(MENTION, '@$1');

/** A text without the name and the id of a user in mentions, in code too. */
export const withoutMention = (text: string, userId: string): string =>
  text.replace(MENTION, (whole, _name, id: string) =>
    id.toLowerCase() === userId ? `@${DELETED_USER}` : whole,
  );
