import { Radio, Stack } from '@mantine/core';
import { mayManageRole } from '../../../lib/members/roles.ts';
import { ROLE_NAMES, ROLE_RIGHTS, ROLES } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';

/** The roles that the user may give, with their rights. */
export function RoleChoice(props: Omit<React.ComponentProps<typeof Radio.Group>, 'children' | 'label'>) {
  const org = useOrg();
  const roles = ROLES.filter((role) => mayManageRole(org.role, role));
  return (
    <Radio.Group label="Role" {...props}>
      <Stack gap="xs" mt={6}>
        {roles.map((role) => (
          <Radio key={role} value={role} label={ROLE_NAMES[role]} description={ROLE_RIGHTS[role]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
