import { type FindingField, shownFindingFields } from '../../db/findings/fields.ts';
import type { FindingRow, Resource } from '../../db/resources.ts';
import { id, shown, timestamp, z } from '../schema.ts';

/** The schemas of an object's fields. */
type Shape<T> = {
  [K in keyof T]-?: undefined extends T[K] ? z.ZodOptional<z.ZodType<NonNullable<T[K]>>> : z.ZodType<T[K]>;
};

/** The schemas of a finding's fields in responses, from their declaration. */
export const findingShape = Object.fromEntries(
  shownFindingFields.map((field) => [
    field.name,
    field.notNull ? schemaOf(field) : schemaOf(field).optional(),
  ]),
) as Shape<Resource<FindingRow>>;

function schemaOf({ name, sqlType, enumValues, example, description, minimum }: FindingField): z.ZodType {
  if (enumValues) return z.enum(enumValues);
  if (sqlType.startsWith('timestamp')) return timestamp();
  switch (sqlType) {
    case 'uuid':
      return id();
    case 'boolean':
      return z.boolean().openapi({ description, example });
    case 'double precision':
      return z.number().openapi({ example });
    case 'integer':
      return (minimum === undefined ? z.int() : z.int().min(minimum)).openapi({ example });
    case 'text':
      return shown(String(example), description);
    default:
      throw new Error(`the field ${name} needs a schema for ${sqlType}`);
  }
}
