import { Button, Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unknownMember } from '#strings/members/unknown.ts';
import * as text from '#strings/triage/form.tsx';
import type { Schemas } from '../../app/api.ts';
import { membersQuery, reachingQuery } from '../../members/queries.ts';
import type { FormRequest } from './triage-form.ts';

/** Values of the field that are no member. */
export const KEEP = 'keep';
export const NOBODY = 'nobody';

interface Props extends Pick<FormRequest, 'org' | 'user'> {
  /** The project of the findings, if it is one. */
  projectId: string | undefined;
  /** Whether findings may keep different assignees. */
  mayKeep: boolean;
  value: string;
  onChange(id: string, name?: string): void;
  autoFocus: boolean;
}

const labelOf = ({ name, email }: Schemas['Member']) => text.memberWithEmail(name, email);

/** The member to whom findings are assigned. */
export function AssigneeField({ org, user, projectId, mayKeep, value, onChange, autoFocus }: Props) {
  const { data: all = [] } = useQuery(membersQuery(org));
  const { data: reaching = [] } = useQuery({
    ...reachingQuery(org, projectId ?? ''),
    enabled: projectId !== undefined,
  });
  // The service refuses assignees who do not reach the projects of all findings. The user reaches them.
  const candidates =
    projectId === undefined
      ? all.filter(({ project_access: access, user_id }) => user_id === user.id || access === 'all')
      : reaching;
  const members = candidates.filter(({ pending }) => !pending);
  const nameOf = (id: string) => members.find(({ user_id }) => user_id === id)?.name;
  const isKnown = [KEEP, NOBODY].includes(value) || nameOf(value) !== undefined;
  /** The present assignee may no longer reach the project. */
  const present = all.find(({ user_id }) => user_id === value);
  return (
    <Select
      label={text.assignee}
      miw={220}
      searchable
      selectFirstOptionOnChange
      // A match that is not marked yet must not apply the form without it.
      onKeyDown={(event) =>
        event.key === 'Enter' && !event.ctrlKey && !event.metaKey && event.preventDefault()
      }
      // Typing replaces the present name.
      onFocus={({ currentTarget }) => currentTarget.select()}
      onClick={({ currentTarget }) => currentTarget.select()}
      allowDeselect={false}
      nothingFoundMessage={text.noMemberFound}
      value={value}
      data={[
        ...(mayKeep ? [{ value: KEEP, label: text.keep }] : []),
        { value: NOBODY, label: text.nobody },
        ...(isKnown ? [] : [{ value, label: present ? labelOf(present) : unknownMember(org.isLimited) }]),
        ...members.map((member) => ({ value: member.user_id, label: labelOf(member) })),
      ]}
      onChange={(id) => id && onChange(id, nameOf(id))}
      data-autofocus={autoFocus || undefined}
      inputContainer={(input) => (
        <Group gap="xs" wrap="nowrap">
          <div style={{ flex: 1, minWidth: 0 }}>{input}</div>
          {/* It stays after it was used, because it has the focus then. */}
          <Button
            variant="default"
            onClick={() => onChange(user.id, user.name)}
            aria-disabled={value === user.id}
            data-disabled={value === user.id || undefined}
            flex="none"
          >
            {text.assignToMe}
          </Button>
        </Group>
      )}
    />
  );
}
