import { Radio, Stack } from '@mantine/core';
import * as text from '#strings/members.tsx';
import { mayManageRole } from '../../../lib/members/roles.ts';
import { ROLES } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';

/** The roles that the user may give, with their rights. */
export function RoleChoice(props: Omit<React.ComponentProps<typeof Radio.Group>, 'children' | 'label'>) {
  const org = useOrg();
  const roles = ROLES.filter((role) => mayManageRole(org.role, role));
  return (
    <Radio.Group label={text.role} {...props}>
      <Stack gap="xs" mt={6}>
        {roles.map((role) => (
          <Radio key={role} value={role} label={text.roleNames[role]} description={text.roleRights[role]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
