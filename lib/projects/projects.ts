import { and, desc, eq, or, type SQL } from 'drizzle-orm';
import { validate } from 'uuid';
import type { Db } from '../../db/client.ts';
import { isPresent } from '../../db/projects/deletion.ts';
import type { Projects } from '../../db/projects/reach.ts';
import { projectFields } from '../../db/resources.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { ApiError } from '../errors.ts';
import type { Org } from '../orgs/directory.ts';
import { text, uuid, z } from '../schema.ts';
import type { ApiToken } from '../tokens/api-tokens.ts';
import { NO_PROJECT, projectsAmong, type Reaching } from './reach.ts';
import { MAX_SOURCE_URL, sourceUrlProblem } from './source-links.ts';

/** A project's slug: 2 to 50 lower-case letters, digits and hyphens, no hyphen at either end. */
export const PROJECT_SLUG = /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])$/;

const SLUG_RULE = 'must be 2 to 50 lower-case letters, digits and hyphens';

/** An id, or the slug of an older version that looks like one. */
export const isIdLike = (slug: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(slug);

/** Whether a project can get the slug. One that looks like an id could stand for another project. */
export const isNewProjectSlug = (slug: string): boolean => PROJECT_SLUG.test(slug) && !isIdLike(slug);

/** The field of a project's new slug. */
export const projectSlug = () =>
  z
    .string()
    .regex(PROJECT_SLUG, SLUG_RULE)
    .refine((slug) => !isIdLike(slug), 'must not be a UUID')
    .openapi({ example: 'web-shop' });

/** The repository of a project, or a template of links to its files. */
export const sourceUrl = () =>
  text({ max: MAX_SOURCE_URL, trim: true, example: 'https://github.com/acme/web-shop' }).superRefine(
    (value, context) => {
      const message = sourceUrlProblem(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    },
  );

const hasSlug = (tables: OrgTables, slug: string) =>
  and(eq(tables.projects.slug, slug), isPresent(tables)) as SQL;
const hasId = (tables: OrgTables, id: string) => and(eq(tables.projects.id, id), isPresent(tables)) as SQL;
/**
 * Links and agents may have the slug from before a change. Several projects may have the same one
 * since an earlier version: the newest counts.
 */
const hadSlug = (tables: OrgTables, slug: string) =>
  and(eq(tables.projects.formerSlug, slug), isPresent(tables)) as SQL;

/** A project by its slug, its id or its former slug. @throws ApiError `resource_error/not_found` */
export async function readProject(db: Db, tables: OrgTables, slugOrId: string) {
  const { projects } = tables;
  const read = (where: SQL) =>
    db.select(projectFields(tables)).from(projects).where(where).orderBy(desc(projects.id)).limit(1);
  // A slug of an older version may be the id of another project, and then the id wins.
  const [identified] = validate(slugOrId) ? await read(hasId(tables, slugOrId)) : [];
  const [named] = identified ? [identified] : await read(hasSlug(tables, slugOrId));
  const [row] = named ? [named] : await read(hadSlug(tables, slugOrId));
  if (!row) throw new ApiError('resource_error/not_found');
  return row;
}

/** The id of the same project, in one statement: the number of statements tells nothing of a project that the caller does not reach. */
export async function findProjectId(
  db: Db,
  tables: OrgTables,
  slugOrId: string,
): Promise<string | undefined> {
  const { projects } = tables;
  const present = [...(validate(slugOrId) ? [hasId(tables, slugOrId)] : []), hasSlug(tables, slugOrId)];
  const [found] = await db
    .select({ id: projects.id })
    .from(projects)
    .where(or(...present, hadSlug(tables, slugOrId)))
    .orderBy(...present.map(desc), desc(projects.id))
    .limit(1);
  return found?.id;
}

/** @throws ApiError `resource_error/not_found` */
export async function requireProject(db: Db, { tables }: Org, projectId: string): Promise<void> {
  await findProject(db, tables, [hasId(tables, projectId)]);
}

/**
 * The projects of a request that may name one.
 * @throws ApiError `resource_error/not_found` if it does not exist, or the caller does not reach it
 */
export async function requireProjects(
  call: Reaching & { db: Db; org: Org },
  given: string | undefined,
): Promise<Projects> {
  if (given === undefined) return call.reach?.ids;
  const [id = NO_PROJECT] = projectsAmong(call, [given]) ?? [];
  await requireProject(call.db, call.org, id);
  return [id];
}

/** The id of the first project that meets one of the conditions. */
async function findProject(db: Db, { projects }: OrgTables, conditions: SQL[]): Promise<string> {
  for (const where of conditions) {
    const [project] = await db
      .select({ id: projects.id })
      .from(projects)
      .where(where)
      .orderBy(desc(projects.id))
      .limit(1);
    if (project) return project.id;
  }
  throw new ApiError('resource_error/not_found', { message: 'The project does not exist.' });
}

/**
 * The fields by which an agent names a project: its id, or its slug in `project`. Beside `project_id`, `project` is
 * ignored whatever it holds, like any unknown field.
 */
export const projectReference = {
  project_id: uuid().optional(),
  project: z.unknown().optional().openapi({
    description:
      'The slug of the project, 2 to 50 lower-case letters, digits and hyphens, or its id. One of `project_id` and `project` is required; beside `project_id`, `project` is ignored whatever it holds.',
    example: 'web-shop',
  }),
};

/** The fields of {@link projectReference}, as an agent sends them. */
export interface ProjectReference {
  project_id?: string | undefined;
  project?: unknown;
}

const isSlug = (value: unknown): value is string => typeof value === 'string' && PROJECT_SLUG.test(value);

/** A schema with {@link projectReference} that rejects input which names no project. */
export const namesProject = <S extends z.ZodType<ProjectReference>>(schema: S): S =>
  schema
    .refine((value) => value?.project_id !== undefined || value?.project != null, {
      path: ['project_id'],
      message: 'is required, or project',
      // Together with whatever else is wrong.
      when: () => true,
    })
    .refine(({ project_id, project }) => project_id !== undefined || project == null || isSlug(project), {
      path: ['project'],
      message: SLUG_RULE,
    });

/**
 * The id of the project an agent names.
 * @throws ApiError `token_error/scope_mismatch` when it is not the token's; `resource_error/not_found`
 */
export async function resolveProject(
  { db, org, token }: { db: Db; org: Org; token: ApiToken },
  { project_id, project }: ProjectReference = {},
): Promise<string> {
  const { tables } = org;
  if (project_id !== undefined) requireScope(token, project_id);
  const slug = String(project);
  // As in readProject.
  const asId = validate(slug) ? [hasId(tables, slug)] : [];
  const conditions =
    project_id === undefined
      ? [...asId, hasSlug(tables, slug), hadSlug(tables, slug)]
      : [hasId(tables, project_id)];
  const id = await findProject(db, tables, conditions).catch((error) => {
    const unknown = error instanceof ApiError && error.key === 'resource_error/not_found';
    // Whether there are others is none of the business of a project's token.
    throw unknown && token.projectId !== null ? anotherProject() : error;
  });
  requireScope(token, id);
  return id;
}

/** Whether the token is of this project, or of no single one. */
export const isInScope = (token: ApiToken, projectId: string | undefined): boolean =>
  token.projectId === null || token.projectId === projectId;

export const anotherProject = () =>
  new ApiError('token_error/scope_mismatch', { message: 'The API token belongs to another project.' });

/** @throws ApiError `token_error/scope_mismatch` when the token is of another project */
export function requireScope(token: ApiToken, projectId: string | undefined): void {
  if (!isInScope(token, projectId)) throw anotherProject();
}
