import { describe, expect, it } from 'vitest';
import { endpoints } from '../../handlers/index.ts';
import { type Operation, ORGANIZATION_ROLES, ROLES } from '../../lib/client/roles.ts';
import { isAllowed, mayCall, rolesAllowed } from '../../ui/src/app/roles.ts';

describe('roles in the web UI', () => {
  const inOrganization = Object.entries(endpoints).flatMap(([operation, { access }]) =>
    access.kind === 'cookieOrg' ? [{ operation: operation as Operation, ...access }] : [],
  );

  it.each(inOrganization)(
    'has the minimum role of $operation, as the endpoint declares it',
    ({ operation, role }) => {
      expect(ROLES.filter((one) => isAllowed(one, operation)).at(-1)).toBe(role);
    },
  );

  it('knows the operations that members who reach only assigned projects are refused', () => {
    const refused = inOrganization.flatMap(({ operation, project }) => (project === 'none' ? operation : []));
    expect(Object.keys(ORGANIZATION_ROLES)).toEqual(refused);
  });

  it('lets a limited member do what the role in the project allows, and nothing in the organization', () => {
    const limited = { role: 'admin', isLimited: true } as const;
    expect(mayCall(limited, 'inviteMember')).toBe(false);
    expect(mayCall(limited, 'updateProject')).toBe(true);
    expect(mayCall(limited, 'updateProject', { role: 'member' })).toBe(false);
    expect(mayCall(limited, 'updateFindings', { role: 'member' })).toBe(true);
    expect(mayCall(limited, 'updateFindings', { role: 'viewer' })).toBe(false);
    expect(mayCall(limited, 'createProject', { role: 'admin' })).toBe(false);
    // Projects have no role for members who reach all.
    expect(mayCall({ role: 'admin', isLimited: false }, 'updateProject', {})).toBe(true);
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
