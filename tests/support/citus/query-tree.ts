import postgres from 'postgres';

/** A node of what PostgreSQL understands a statement to be. A field holds what stands behind its name. */
export interface TreeNode {
  type: string;
  fields: Record<string, (TreeNode | string)[]>;
}

/** Asks PostgreSQL how it understands statements, without running them. */
export interface Analyzer {
  /**
   * The queries of a statement, functions behind operators and casts resolved.
   * @throws Error when the statement is wrong, or none that has such a tree
   */
  analyze(statement: string): Promise<TreeNode>;
  /** By oid: `immutable`, `stable` or `volatile`, and its name. */
  functions: Map<string, { name: string; volatility: string }>;
  /** By oid of a type: the functions that read and write it as text. */
  textOf: Map<string, { input: string; output: string }>;
  close(): Promise<void>;
}

export async function openAnalyzer(url: string): Promise<Analyzer> {
  let tree = '';
  const onnotice = ({ message, detail }: postgres.Notice) => {
    if (message === 'parse tree:' && tree === '') tree = detail ?? '';
  };
  const sql = postgres(url, { max: 1, onnotice });
  const functions = await sql.unsafe(
    `select oid::text, proname as name,
       case provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility
     from pg_proc`,
  );
  const types = await sql.unsafe(
    'select oid::text, typinput::oid::text as input, typoutput::oid::text as output from pg_type',
  );
  return {
    functions: new Map(functions.map(({ oid, name, volatility }) => [oid, { name, volatility }])),
    textOf: new Map(types.map(({ oid, input, output }) => [oid, { input, output }])),
    async analyze(statement) {
      tree = '';
      await sql.begin(async (tx) => {
        await tx.unsafe('set local client_min_messages = log; set local debug_print_parse = on').simple();
        await tx.unsafe(statement).describe();
      });
      return readTree(tree);
    },
    close: () => sql.end(),
  };
}

/** Every node below this one, itself included. */
export function* nodesOf(node: TreeNode): Generator<TreeNode> {
  yield node;
  for (const value of Object.values(node.fields).flat()) if (typeof value === 'object') yield* nodesOf(value);
}

/** Reads the text form of PostgreSQL's nodes: `{TYPE :field value :list ({…} {…})}`. */
function readTree(text: string): TreeNode {
  const tokens = text.match(/[{}()]|(?:\\[\s\S]|[^\s{}()\\])+/g) ?? [];
  let at = 0;
  function node(): TreeNode {
    at++;
    const read: TreeNode = { type: tokens[at++] ?? '', fields: {} };
    let field: (TreeNode | string)[] = [];
    while (tokens[at] !== '}') {
      const token = tokens[at] as string;
      if (token === '{') field.push(node());
      else {
        if (token.startsWith(':')) {
          field = [];
          read.fields[token.slice(1)] = field;
        } else if (token !== '(' && token !== ')') field.push(token);
        at++;
      }
    }
    at++;
    return read;
  }
  return node();
}
