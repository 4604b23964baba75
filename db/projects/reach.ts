import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { OrgTables } from '../schema/org.ts';
import { arrayText, orgStatement, type Placeholders, type SqlClient } from '../statements.ts';
import type { TextQuery } from '../stream.ts';

/** The projects that a statement is limited to. Undefined: all. Empty: no rows. */
export type Projects = readonly string[] | undefined;

/** Limits a statement to some projects. Undefined for all, so that the statement has no condition. */
export function within(projectId: SQLWrapper, projects: Projects): SQL | undefined {
  if (projects === undefined) return undefined;
  const [first] = projects;
  return first !== undefined && projects.length === 1
    ? eq(projectId, first)
    : sql`${projectId} = any (${arrayText(projects)}::uuid[])`;
}

type Limited<Params> = Params & { projects: string };

/** The statement of an organization for some projects. */
export interface LimitedStatement<Params, Row> {
  run(client: SqlClient, params: Params): Promise<Row[]>;
  query(params: Params): TextQuery;
}

/**
 * A statement that is built once for all projects, once for one, which has an index range of its own, and once for several.
 * @param build `limit` is the condition on an id of a project; undefined for all
 */
export function limitedStatement<Params extends object, Row extends object>(
  build: (
    tables: OrgTables,
    $: Placeholders<Limited<Params>>,
    limit: (projectId: SQL) => SQL | undefined,
  ) => SQL,
): (tables: OrgTables, projects: Projects) => LimitedStatement<Params, Row> {
  const ofAll = orgStatement<Limited<Params>, Row>((tables, $) => build(tables, $, () => undefined));
  const ofOne = orgStatement<Limited<Params>, Row>((tables, $) =>
    build(tables, $, (id) => sql`${id} = ${$.projects}::uuid`),
  );
  const ofSeveral = orgStatement<Limited<Params>, Row>((tables, $) =>
    build(tables, $, (id) => sql`${id} = any (${$.projects}::uuid[])`),
  );
  return (tables, projects) => {
    const isOne = projects?.length === 1;
    const found = (projects === undefined ? ofAll : isOne ? ofOne : ofSeveral)(tables);
    const limit = { projects: isOne ? String(projects[0]) : arrayText(projects ?? []) };
    return {
      run: (client, params) => found.run(client, { ...params, ...limit }),
      query: (params) => found.query({ ...params, ...limit }),
    };
  };
}
