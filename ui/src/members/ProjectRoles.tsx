import {
  Box,
  Group,
  Input,
  NativeSelect,
  type NativeSelectProps,
  Radio,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import * as text from '#strings/members/project-access.tsx';
import type { Schemas } from '../app/api.ts';
import { ShowMore } from '../components/ShowMore.tsx';
import { PROJECT_ROLES, type ProjectRole } from './assignments.ts';

export type Access = Schemas['Member']['project_access'];

/** Roles by the id of the project. Projects without a role have no entry. */
export type RolesByProject = ReadonlyMap<string, ProjectRole>;

/** The complete list of assignments, for requests. */
export const assignmentsOf = (roles: RolesByProject) =>
  [...roles].map(([project_id, role]) => ({ project_id, role }));

const roleOf = (value: string): ProjectRole | undefined => PROJECT_ROLES.find((one) => one === value);

const NONE = 'none';
const CHOICES = ([NONE, ...PROJECT_ROLES] as const).map((value) => ({ value, label: text.roleNames[value] }));

/** More projects have a filter. */
const FEW = 10;
/** The number of projects shown at first. */
const SHOWN = 50;

interface Props {
  projects: readonly Pick<Schemas['Project'], 'id' | 'name'>[];
  /** The name of the role in the organization. */
  ceiling: string;
  roles: RolesByProject;
  onChange(roles: RolesByProject): void;
}

/** Chooses the role in each project. Projects that had a role at first come first. */
export function ProjectRoles({ projects, ceiling, roles, onChange }: Props) {
  const [filter, setFilter] = useState('');
  const [first] = useState(roles);
  const found = projects.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()));
  const sorted = [true, false].flatMap((isFirst) => found.filter(({ id }) => first.has(id) === isFirst));
  const set = (id: string, value: string) => {
    const next = new Map(roles);
    const role = roleOf(value);
    if (role) next.set(id, role);
    else next.delete(id);
    onChange(next);
  };
  return (
    <Stack gap="xs" component="fieldset" m={0} p={0} bd={0} miw={0}>
      <Input.Label component="legend" labelElement="div" p={0}>
        {text.projects}
      </Input.Label>
      <Input.Description>{text.ceiling(ceiling)}</Input.Description>
      {projects.length > FEW && (
        <TextInput
          type="search"
          aria-label={text.filter}
          placeholder={text.filter}
          value={filter}
          // Enter must not save.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          onChange={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      )}
      {sorted.length === 0 ? (
        <Text size="sm" c="dimmed" role="status">
          {projects.length === 0 ? text.noProjects : text.nothingMatches}
        </Text>
      ) : (
        <Box mah="min(20rem, 45vh)" style={{ overflowY: 'auto' }}>
          <ShowMore items={sorted} count={SHOWN}>
            {(shown) => (
              <Stack component="ul" gap={4} m={0} p={0} style={{ listStyle: 'none' }}>
                {shown.map(({ id, name }) => (
                  <Group key={id} component="li" gap="sm" wrap="nowrap" justify="space-between">
                    <Text size="sm" truncate title={name} miw={0}>
                      <bdi>{name}</bdi>
                    </Text>
                    <NativeSelect
                      size="xs"
                      w="7rem"
                      flex="none"
                      // The outline of the focus has space in the box that scrolls.
                      m={3}
                      aria-label={text.roleIn(name)}
                      data={CHOICES}
                      value={roles.get(id) ?? NONE}
                      onChange={({ currentTarget }) => set(id, currentTarget.value)}
                    />
                  </Group>
                ))}
              </Stack>
            )}
          </ShowMore>
        </Box>
      )}
      <Text size="xs" c="dimmed" role="status">
        {text.assigned(roles.size)}
      </Text>
    </Stack>
  );
}

/** All projects, or only assigned ones. */
export function AccessChoice({ value, onChange }: { value: Access; onChange: (access: Access) => void }) {
  return (
    <Radio.Group label={text.access} value={value} onChange={(next) => onChange(next as Access)}>
      <Stack gap="xs" mt={6}>
        {(['all', 'assigned'] as const).map((one) => (
          <Radio key={one} value={one} label={text.accessNames[one]} description={text.accessRights[one]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

interface RoleSelectProps extends Omit<NativeSelectProps, 'data' | 'value' | 'onChange'> {
  value: ProjectRole;
  onChange(role: ProjectRole): void;
}

/** The role in one project. */
export const RoleSelect = ({ value, onChange, ...props }: RoleSelectProps) => (
  <NativeSelect
    {...props}
    data={CHOICES.slice(1)}
    value={value}
    onChange={({ currentTarget }) => onChange(roleOf(currentTarget.value) ?? value)}
  />
);
