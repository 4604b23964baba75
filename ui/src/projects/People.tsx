import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/members/project-access.tsx';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { SectionCard } from '../components/SectionCard.tsx';
import { membersQuery, projectMembersQuery } from '../members/queries.ts';

/** The members who are assigned to a project, for its admins. */
export function People({ project }: { project: Schemas['Project'] }) {
  const org = useOrg();
  if (!org.may('setProjectMember', project)) return null;
  return (
    <SectionCard title={text.assignments} description={text.whatAssignmentsAre}>
      <Assigned projectId={project.id} />
    </SectionCard>
  );
}

function Assigned({ projectId }: { projectId: string }) {
  const org = useOrg();
  const assigned = useQuery(projectMembersQuery(org, projectId));
  const members = useQuery(membersQuery(org));
  return (
    <Loaded query={members}>
      {(all) => (
        <Loaded query={assigned}>
          {(rows) => {
            // The assignments of members who reach all projects have no effect.
            const people = all.flatMap(({ user_id, name, project_access: access }) => {
              const row = rows.find((one) => one.user_id === user_id);
              return row && access === 'assigned' ? [{ ...row, name }] : [];
            });
            if (people.length === 0) return <Text size="sm">{text.nobodyAssigned}</Text>;
            return (
              <Table verticalSpacing="xs" aria-label={text.assignments}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{text.member}</Table.Th>
                    <Table.Th>{text.role}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {people.map(({ user_id, name, role }) => (
                    <Table.Tr key={user_id}>
                      <Table.Td style={{ overflowWrap: 'anywhere' }}>
                        <bdi>{name}</bdi>
                      </Table.Td>
                      <Table.Td>{text.roleNames[role]}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}
