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

/** Code: a block between fences, of which the last may be missing, or text between backticks. */
const CODE =
  /^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n[\s\S]*?)?(?:\n {0,3}\1[`~]*[ \t]*$|(?![\s\S]))|(`+)(?!`)[^\n]*?[^`\n]\2(?!`)/gm;

/** Replaces the parts of a Markdown text that are not code. */
function outsideCode(text: string, replace: (part: string) => string): string {
  let end = 0;
  const parts: string[] = [];
  for (const { 0: code, index } of text.matchAll(CODE)) {
    parts.push(replace(text.slice(end, index)), code);
    end = index + code.length;
  }
  return parts.join('') + replace(text.slice(end));
}

/** The ids that a comment mentions, each once. */
export function mentionedIds(text: string): string[] {
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

/** A text without the name and the id of a user in mentions, in code too. */
export const withoutMention = (text: string, userId: string): string =>
  text.replace(MENTION, (whole, _name, id: string) =>
    id.toLowerCase() === userId ? `@${DELETED_USER}` : whole,
  );
