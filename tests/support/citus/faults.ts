import { ddlFaults } from './ddl.ts';
import { type Analyzer, nodesOf, type TreeNode } from './query-tree.ts';
import { calledName, type Part, partsOf, readStatements, type Statement, tablesOf } from './syntax.ts';

/*
 * Finds statements that PostgreSQL runs but that Citus with schema-based sharding would refuse, or silently run differently, and
 * statements that fail behind a pooler that gives each transaction another connection (docs/scaling.md).
 * The grammar is that of PostgreSQL's own parser; what an operator or a cast calls, PostgreSQL is asked.
 */

const ORG_SCHEMA = /^org_(?:[0-9a-f]{32}|template)$/;
const QUERIES = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt']);
const WRITES = ['InsertStmt', 'UpdateStmt', 'DeleteStmt'];

/** Among the options of a cursor. */
const WITH_HOLD = 0x20;

/** Statements that are always refused. */
const REFUSED: Record<string, string> = {
  MergeStmt: 'MERGE',
  DoStmt: 'a DO block',
  CreateFunctionStmt: 'a function',
  CreateTrigStmt: 'a trigger',
  CreateStatsStmt: 'CREATE STATISTICS',
  CreatePolicyStmt: 'row security',
  ListenStmt: 'LISTEN',
  PrepareStmt: 'PREPARE',
};

/** The schemas of organizations that a text names. */
export const orgSchemasOf = (text: string): string[] => [
  ...new Set(
    readStatements(text).flatMap(({ body }) => [
      ...tablesOf(body).flatMap(({ schema }) => (schema && ORG_SCHEMA.test(schema) ? schema : [])),
      ...(body?.schemaname && ORG_SCHEMA.test(body.schemaname) ? [body.schemaname] : []),
    ]),
  ),
];

/** @returns what breaks the rules, empty when nothing does */
export async function citusFaults(text: string, analyzer: Analyzer): Promise<string[]> {
  const statements = readStatements(text);
  const orgs = orgSchemasOf(text);
  const faults = statements.flatMap(generalFaults);
  const [first] = statements;
  if (orgs.length === 0 || !first) return faults;
  if (statements.length > 1) return [...faults, 'several statements in a command'];
  if (orgs.length > 1) return [...faults, 'two organizations in a statement'];
  return [...faults, ...(await orgFaults(first, text, analyzer))];
}

function generalFaults({ kind, body }: Statement): string[] {
  const refused = REFUSED[kind];
  const calls = partsOf(body, 'FuncCall').map(calledName);
  const tables = tablesOf(body);
  const locks = calls.filter((name) => /^pg_(try_)?advisory_/.test(name));
  const alone =
    calls.length === 1 && tables.length === 0 && body.targetList?.[0].ResTarget.val.FuncCall !== undefined;
  return [
    ...(refused ? [refused] : []),
    ...(body.kind === 'TRANS_STMT_PREPARE' ? ['PREPARE TRANSACTION'] : []),
    ...(locks.length > 0 && !alone ? ['an advisory lock within a statement'] : []),
    ...(calls.some((name) => /^pg_(try_)?advisory_(un)?lock/.test(name)) ? ['a lock of the session'] : []),
    ...(kind === 'DeclareCursorStmt' && body.options & WITH_HOLD ? ['a cursor of the session'] : []),
    ...(kind === 'VariableSetStmt' && !body.is_local && body.name !== 'TRANSACTION'
      ? ['a setting of the session']
      : []),
    ...((body.name?.includes?.('.') && !body.name.startsWith('citus.')) || calls.includes('set_config')
      ? ['a variable of our own']
      : []),
    ...tables
      .filter(({ schema, name }) => schema === undefined && !name.startsWith('pg_'))
      .map(({ name }) => `${name} without its schema`),
  ];
}

async function orgFaults(statement: Statement, text: string, analyzer: Analyzer): Promise<string[]> {
  const { kind, body } = statement;
  if (REFUSED[kind] || kind === 'LockStmt') return [];
  if (kind === 'DeclareCursorStmt') return body.query.SelectStmt ? [] : ['a cursor of what is no SELECT'];
  if (!QUERIES.has(kind)) return ddlFaults(statement);
  const written = writtenSchemas(statement);
  const isMixed = tablesOf(body).some(({ schema }) => schema === 'shared');
  return [
    ...(isMixed && partsOf(body, 'SelectStmt').some(hasNoColumns)
      ? ['a SELECT of no columns beside shared']
      : []),
    ...(isMixed && [body, ...selectsIn(body)].some(selectsSharedByOrg)
      ? ['a SELECT of shared with a condition on the organization']
      : []),
    ...(written.length > 0 ? writeFaults(body) : []),
    ...(kind === 'InsertStmt' || partsOf(body, 'InsertStmt').length > 0
      ? insertFaults(statement, await analyzer.analyze(text), analyzer)
      : []),
    ...(written.includes('shared') ? ['a statement for an organization that writes to shared'] : []),
    ...partsOf(body, 'onConflictClause').flatMap(conflictFaults),
    ...(written.length > 0 ? treeFaults(await analyzer.analyze(text), analyzer) : []),
  ];
}

/** Citus runs it, but not while a worker is down. */
export const SELECTS_FROM_NO_TABLE = 'an INSERT that selects from no table';

/** Forms that Citus evaluates wrongly. */
const writeFaults = (body: Part): string[] => [
  ...(partsOf(body, 'CaseExpr').some(({ arg }) => arg)
    ? ['CASE with an operand in a statement that writes']
    : []),
  ...(selectsIn(body).some(
    ({ lockingClause, targetList }) => lockingClause && partsOf(targetList, 'FuncCall').length > 0,
  )
    ? ['a function in a SELECT that locks rows']
    : []),
  ...(selectsIn(body).some(
    ({ lockingClause, fromClause }) =>
      lockingClause && (fromClause?.length > 1 || partsOf(fromClause, 'JoinExpr').length > 0),
  )
    ? ['a join in a SELECT that locks rows']
    : []),
];

/** Whether rows of `shared` are selected by a subquery of an organization's tables. */
function selectsSharedByOrg({ fromClause = [], whereClause = {} }: Part): boolean {
  const isOfOrg = ({ schema = '' }) => ORG_SCHEMA.test(schema);
  const from = tablesOf(fromClause);
  const isShared = from.some(({ schema }) => schema === 'shared') && !from.some(isOfOrg);
  return isShared && tablesOf(whereClause).some(isOfOrg);
}

const selectsIn = (body: Part): Part[] => [
  ...partsOf(body, 'SelectStmt'),
  ...partsOf(body, 'ctequery').flatMap(({ SelectStmt }) => SelectStmt ?? []),
];

const selectsFromTables = ({ selectStmt }: Part): boolean =>
  tablesOf(selectStmt?.SelectStmt?.fromClause ?? []).some(
    ({ schema }) => schema !== undefined && ORG_SCHEMA.test(schema),
  );

/** An INSERT of a SELECT from tables, which Citus sends to the worker of the organization as it is, and not to all workers. */
function insertFaults({ kind, body }: Statement, tree: TreeNode, analyzer: Analyzer): string[] {
  const isInsert = kind === 'InsertStmt';
  if (isInsert && body.withClause) return ['an INSERT beside a CTE'];
  const inserts = [...(isInsert ? [body] : []), ...partsOf(body.withClause ?? {}, 'InsertStmt')].filter(
    ({ selectStmt }) => selectStmt && !selectStmt.SelectStmt.valuesLists,
  );
  if (!inserts.every(selectsFromTables)) return [SELECTS_FROM_NO_TABLE];
  const selecting = [...nodesOf(tree)].filter(
    ({ type, fields }) => type === 'QUERY' && fields.commandType?.[0] === INSERT && selectsRows(fields),
  );
  return callsIn(selecting, analyzer).map(({ name }) => `an INSERT of a SELECT with ${name}()`);
}

/** Whether a query has a subquery, as an INSERT of a SELECT does. */
const selectsRows = ({ rtable = [] }: TreeNode['fields']): boolean =>
  rtable.some((entry) => typeof entry === 'object' && entry.fields.subquery?.[0] !== undefined);

/** Whether a SELECT of an organization's tables has no columns. */
const hasNoColumns = (select: Part): boolean =>
  select.op === 'SETOP_NONE' &&
  !select.targetList &&
  !select.valuesLists &&
  tablesOf(select).some(({ schema }) => schema !== undefined && ORG_SCHEMA.test(schema));

const writtenSchemas = ({ kind, body }: Statement): string[] =>
  [...(WRITES.includes(kind) ? [body] : []), ...WRITES.flatMap((one) => partsOf(body, one))].map(
    ({ relation }) => relation.schemaname,
  );

const COMPUTING = ['FuncCall', 'SQLValueFunction', 'SubLink', 'TypeCast'];

const conflictFaults = ({ targetList, whereClause }: Part): string[] =>
  COMPUTING.some((kind) => partsOf([targetList, whereClause], kind).length > 0)
    ? ['DO UPDATE SET of more than columns, parameters and operators']
    : [];

const UPDATE = '2';
const INSERT = '3';
const DELETE = '4';

/** Functions that the writing queries of a statement call. */
function treeFaults(tree: TreeNode, analyzer: Analyzer): string[] {
  return [...nodesOf(tree)]
    .filter(({ type }) => type === 'QUERY')
    .flatMap((query) => {
      const command = query.fields.commandType?.[0];
      const {
        targetList = [],
        jointree = [],
        returningList = [],
        rtable = [],
        onConflict = [],
      } = query.fields;
      if (command === UPDATE || command === DELETE)
        return changeFaults([...targetList, ...jointree, ...returningList, ...rtable], analyzer);
      if (command !== INSERT) return [];
      const given = rtable.filter(
        (entry) => typeof entry === 'object' && typeof entry.fields.values_lists?.[0] === 'object',
      );
      return [
        ...callsIn([...targetList, ...given], analyzer).map(({ name }) => `INSERT of ${name}()`),
        ...callsIn(onConflict, analyzer).map(({ name }) => `DO UPDATE SET with ${name}()`),
      ];
    });
}

type Fields = (TreeNode | string)[];

function changeFaults(parts: Fields, analyzer: Analyzer): string[] {
  const calls = callsIn(parts, analyzer);
  const nested = parts
    .flatMap((part) => (typeof part === 'object' ? [...nodesOf(part)] : []))
    .filter(({ type }) => type === 'COALESCEEXPR' || type === 'CASEEXPR')
    .flatMap((node) => callsIn([node], analyzer));
  return [
    ...calls
      .filter(({ volatility }) => volatility === 'volatile')
      .map(({ name }) => `UPDATE or DELETE with ${name}(), which is volatile`),
    ...calls
      .filter(({ volatility, ofColumn }) => volatility === 'stable' && ofColumn)
      .map(({ name }) => `UPDATE or DELETE with ${name}() of a column, which is not immutable`),
    ...nested.map(({ name }) => `UPDATE or DELETE with ${name}() within CASE or COALESCE`),
  ];
}

/** Calls of functions that are not immutable, by name, operator or cast. */
function callsIn(parts: Fields, { functions, textOf }: Analyzer) {
  return parts
    .flatMap((part) => (typeof part === 'object' ? [...nodesOf(part)] : []))
    .flatMap((node) => {
      const { funcid, opfuncid, aggfnoid, winfnoid, resulttype, arg } = node.fields;
      const oids = [funcid, opfuncid, aggfnoid, winfnoid].flatMap((oid) => oid ?? []);
      if (node.type === 'COERCEVIAIO') {
        oids.push(textOf.get(String(resulttype?.[0]))?.input ?? '');
        const [from] = arg ?? [];
        const types = typeof from === 'object' ? Object.entries(from.fields) : [];
        for (const [name, [type]] of types)
          if (name.endsWith('type')) oids.push(textOf.get(String(type))?.output ?? '');
      }
      const called = oids.flatMap((oid) => functions.get(String(oid)) ?? []);
      if (node.type === 'SQLVALUEFUNCTION') called.push({ name: 'current_timestamp', volatility: 'stable' });
      if (node.type === 'NEXTVALUEEXPR') called.push({ name: 'nextval', volatility: 'volatile' });
      const ofColumn = [...nodesOf(node)].some(({ type }) => type === 'VAR');
      return called
        .filter(({ volatility }) => volatility !== 'immutable')
        .map(({ name, volatility }) => ({ name, volatility, ofColumn }));
    });
}
