import { SEVERITIES, type Severity } from '../../db/schema/values.ts';

/** The receiver of events. */
export interface Audience {
  /** Unset: all projects, and what concerns no project. */
  projects?: readonly string[] | undefined;
  /** Projects that it does not hear of. */
  mutedProjects?: readonly string[] | undefined;
  /** Unset: findings of any severity. */
  minSeverity?: Severity | null | undefined;
  /** Whether it hears of members and tokens, if it hears of all projects. */
  isAdmin: boolean;
  /** Unset: findings whoever they are assigned to. */
  assigneeId?: string | undefined;
  /** Whether it asks for the audit log. If it is an admin, it hears of all entries, with the addresses of their actors. */
  wantsAuditLog?: boolean | undefined;
}

/** Whether an audience hears of a project. */
export const reaches = ({ projects, mutedProjects }: Audience, projectId: string): boolean =>
  (projects?.includes(projectId) ?? true) && !mutedProjects?.includes(projectId);

/** Whether an audience hears of findings of a severity. */
export const isSevere = ({ minSeverity }: Audience, severity: Severity): boolean =>
  !minSeverity || SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(minSeverity);
