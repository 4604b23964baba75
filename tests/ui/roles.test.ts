import { describe, expect, it } from 'vitest';
import { endpoints } from '../../handlers/index.ts';
import { OPERATION_ROLES, ORGANIZATION_OPERATIONS, ROLES } from '../../lib/client/roles.ts';
import { isAllowed, mayCall, rolesAllowed } from '../../ui/src/app/roles.ts';

describe('roles in the web UI', () => {
  it('has the minimum role of every operation of an organization, as the endpoint declares it', () => {
    const declared = Object.entries(endpoints).flatMap(([operation, { access }]) =>
      access.kind === 'cookieOrg' && access.role !== 'viewer' ? [[operation, access.role]] : [],
    );
    expect(Object.fromEntries(declared)).toEqual(OPERATION_ROLES);
  });

  it('knows the operations that members who reach only assigned projects are refused', () => {
    const refused = Object.entries(endpoints).flatMap(([operation, { access }]) =>
      access.kind === 'cookieOrg' && access.project === 'none' ? operation : [],
    );
    expect([...ORGANIZATION_OPERATIONS]).toEqual(refused);
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
