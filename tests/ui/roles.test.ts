import { describe, expect, it } from 'vitest';
import { endpoints } from '../../handlers/index.ts';
import { OPERATION_ROLES, ROLES } from '../../lib/client/roles.ts';
import { isAllowed, rolesAllowed } from '../../ui/src/app/roles.ts';

describe('roles in the web UI', () => {
  it('has the minimum role of every operation of an organization, as the endpoint declares it', () => {
    const declared = Object.entries(endpoints).flatMap(([operation, { access }]) =>
      access.kind === 'cookieOrg' && access.role !== 'viewer' ? [[operation, access.role]] : [],
    );
    expect(Object.fromEntries(declared)).toEqual(OPERATION_ROLES);
  });

  it.each([
    ['updateFindings', ['owner', 'admin', 'member']],
    ['inviteMember', ['owner', 'admin']],
    ['updateOrgFeature', ['owner']],
    ['createProjectToken', ['owner', 'admin', 'member', 'viewer']],
  ] as const)('allows %s to its minimum role and the roles above', (operation, allowed) => {
    expect(ROLES.filter((role) => isAllowed(role, operation))).toEqual(allowed);
  });

  it('names the roles that may call an operation', () => {
    expect(rolesAllowed('updateOrgFeature')).toBe('owners');
    expect(rolesAllowed('updateFindings')).toBe('owners, admins and members');
  });
});
