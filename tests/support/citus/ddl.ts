import { type Part, partsOf, type Statement } from './syntax.ts';

const COLUMN_CHANGES = new Set([
  ...['AT_AddColumn', 'AT_DropColumn', 'AT_ColumnDefault', 'AT_SetNotNull', 'AT_DropNotNull'],
  ...['AT_AlterColumnType', 'AT_SetStorage', 'AT_SetCompression'],
  ...['AT_AddConstraint', 'AT_DropConstraint', 'AT_ValidateConstraint', 'AT_SetRelOptions'],
]);

/** Changes of an organization's tables that Citus refuses, or does not propagate to the workers. */
export function ddlFaults({ kind, body }: Statement): string[] {
  switch (kind) {
    case 'CreateSchemaStmt':
      return body.schemaElts ? ['a table within CREATE SCHEMA'] : [];
    case 'CreateStmt':
      return tableFaults(body);
    case 'AlterTableStmt':
      return body.cmds.flatMap((one: Part) => changeFaults(one.AlterTableCmd, body.relation.schemaname));
    case 'IndexStmt':
      return body.idxname ? [] : ['an index without a name'];
    case 'RenameStmt':
      return body.renameType === 'OBJECT_TABCONSTRAINT' ? ['the renaming of a constraint'] : [];
    case 'DropStmt':
      return [];
    case 'GrantStmt':
      return body.targtype === 'ACL_TARGET_OBJECT' && body.objtype === 'OBJECT_TABLE'
        ? []
        : ['rights on other objects than tables'];
    default:
      return [`${kind}, which was never tried`];
  }
}

function tableFaults(table: Part): string[] {
  const elements: Part[] = table.tableElts ?? [];
  const columns = elements.flatMap((one) => one.ColumnDef ?? []);
  const constraints = elements.flatMap((one) => one.Constraint ?? []);
  const hasKey = [...constraints, ...columns.flatMap(constraintsOf)].some(isKey);
  return [
    ...(table.inhRelations || table.partspec ? ['inheritance'] : []),
    ...(hasKey ? [] : ['a table without a primary key']),
    ...elements.flatMap((one) => (one.TableLikeClause ? ['LIKE, which was never tried'] : [])),
    ...columns.flatMap(columnFaults),
    ...columns
      .flatMap(constraintsOf)
      .filter((one) => !isKey(one))
      .flatMap((one) => constraintFaults(one, table.relation.schemaname)),
    ...constraints.flatMap((one) => constraintFaults(one, table.relation.schemaname)),
  ];
}

function changeFaults({ subtype, def }: Part, schema: string): string[] {
  if (/Inherit|Partition/.test(subtype)) return ['inheritance'];
  if (/Trig/.test(subtype)) return ['a trigger'];
  if (/Identity/.test(subtype)) return ['an identity column'];
  if (/RowSecurity/.test(subtype)) return ['row security'];
  if (!COLUMN_CHANGES.has(subtype)) return [`${subtype}, which was never tried`];
  if (subtype === 'AT_AddConstraint') return constraintFaults(def.Constraint, schema);
  if (subtype === 'AT_ColumnDefault') return defaultFaults(def);
  if (subtype !== 'AT_AddColumn') return [];
  const constraints = constraintsOf(def.ColumnDef).filter(({ contype }) => NAMELESS[contype] === undefined);
  return [...columnFaults(def.ColumnDef), ...constraints.map(() => 'a constraint within ADD COLUMN')];
}

const constraintsOf = ({ constraints = [] }: Part): Part[] => constraints.map((one: Part) => one.Constraint);
const isKey = ({ contype }: Part) => contype === 'CONSTR_PRIMARY';

/** Parts of a column that the grammar treats as constraints. */
const NAMELESS: Record<string, true> = {
  CONSTR_NULL: true,
  CONSTR_NOTNULL: true,
  CONSTR_DEFAULT: true,
  CONSTR_IDENTITY: true,
  CONSTR_GENERATED: true,
};

function columnFaults(column: Part): string[] {
  const type = column.typeName.names.at(-1).String.sval;
  const kinds = constraintsOf(column);
  return [
    ...(/^(small|big)?serial[248]?$/.test(type) ? ['a serial column'] : []),
    ...(kinds.some(({ contype }) => contype === 'CONSTR_IDENTITY') ? ['an identity column'] : []),
    ...kinds.filter(({ contype }) => contype === 'CONSTR_DEFAULT').flatMap(defaultFaults),
  ];
}

/** The writer computes ids and times. */
const defaultFaults = (part: Part): string[] =>
  partsOf(part, 'FuncCall').length + partsOf(part, 'SQLValueFunction').length > 0
    ? ['a default that is computed']
    : [];

function constraintFaults(constraint: Part, schema: string): string[] {
  if (NAMELESS[constraint.contype]) return [];
  const { conname, pktable } = constraint;
  return [
    ...(conname ? [] : ['a constraint without a name']),
    ...(pktable && pktable.schemaname !== schema ? ['a foreign key to another schema'] : []),
  ];
}
