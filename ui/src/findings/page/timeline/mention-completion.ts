import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toStored } from '../../../../../lib/findings/triage/mentions.ts';
import type { Schemas } from '../../../app/api.ts';
import { useOrg } from '../../../app/session.ts';
import { membersQuery } from '../../../members/queries.ts';

/** An `@` before the cursor, and what was typed after it. */
export interface MentionStart {
  /** The position of the `@`. */
  at: number;
  text: string;
}

const START = /(?:^|[\s(,;:])@([\p{L}\p{N}._'’-]*(?: [\p{L}\p{N}._'’-]+){0,3})$/u;
/** Longer names are not completed. */
const MAX_TYPED = 60;

/** The mention that ends at the cursor; undefined if there is none. */
export function mentionBefore(text: string, cursor: number): MentionStart | undefined {
  const typed = START.exec(text.slice(Math.max(0, cursor - MAX_TYPED), cursor))?.[1];
  return typed === undefined ? undefined : { at: cursor - typed.length - 1, text: typed };
}

/** A text after a mention was completed, with the new position of the cursor. */
export function completeMention(text: string, { at, text: typed }: MentionStart, mention: string) {
  const rest = text.slice(at + 1 + typed.length).replace(/^ /, '');
  const before = `${text.slice(0, at)}${mention} `;
  return { text: before + rest, caret: before.length };
}

const toMentionable = (members: readonly Schemas['Member'][]) =>
  members.filter(({ pending }) => !pending).map(({ user_id: id, name, email }) => ({ id, name, email }));

/** The members that a comment can mention. They are loaded when they are needed. */
export function useMentionable(isNeeded: boolean) {
  const { data } = useQuery({ ...membersQuery(useOrg()), enabled: isNeeded });
  return useMemo(() => toMentionable(data ?? []), [data]);
}

/** A function that turns a typed comment into the stored one. It loads the members if the text may mention one. */
export function useToStored(): (typed: string) => Promise<string> {
  const org = useOrg();
  const queries = useQueryClient();
  return async (typed) =>
    typed.includes('@') ? toStored(typed, toMentionable(await queries.query(membersQuery(org)))) : typed;
}
