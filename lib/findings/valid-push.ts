import { pushedFindingFields } from '../../db/findings/fields.ts';
import { MAX_PREVIOUS_FINGERPRINTS, type Push } from '../../db/findings/ingest/push.ts';
import { hasLength, isStorable } from '../schema.ts';

/**
 * Whether a push is within the limits of all fields, at a fraction of the processor time of `FindingInput`. For findings of our own
 * importers, which are, and with the ids of a stored scan.
 */
export const isValidPush = (push: Push): boolean =>
  CHECKS.every(({ name, isOptional, accepts }) =>
    push[name] === undefined ? isOptional : accepts(push[name]),
  ) &&
  (push.previous_fingerprints === undefined ||
    (push.previous_fingerprints.length <= MAX_PREVIOUS_FINGERPRINTS &&
      push.previous_fingerprints.every(acceptsFingerprint)));

type Check = (value: unknown) => boolean;

const isText = (value: unknown): value is string => typeof value === 'string' && isStorable(value);

function checkOf({ input: limits, enumValues, sqlType }: (typeof pushedFindingFields)[number]): Check {
  if (limits === 'any') return enumValues ? (value) => enumValues.some((one) => one === value) : isText;
  if ('characters' in limits) {
    const { min = 0, max }: { min?: number; max: number } = limits.characters;
    return (value) => isText(value) && hasLength(value, min, max);
  }
  if ('bytes' in limits) {
    const { min = 0, max }: { min?: number; max: number } = limits.bytes;
    return (value) =>
      isText(value) &&
      value.length >= min &&
      (value.length * 3 <= max || new TextEncoder().encode(value).length <= max);
  }
  if ('number' in limits) {
    const { min, max } = limits.number;
    const isNumber: Check = sqlType === 'integer' ? Number.isInteger : Number.isFinite;
    return (value) => isNumber(value) && Number(value) >= min && Number(value) <= max;
  }
  if ('pattern' in limits) return (value) => typeof value === 'string' && limits.pattern.test(value);
  if (limits.format === 'scan id') return isText;
  return (value) => isText(value) && hasLength(value, 0, limits.max) && !value.includes('..');
}

const CHECKS = pushedFindingFields.map((field) => ({
  name: field.name as keyof Push,
  isOptional: !field.notNull,
  accepts: checkOf(field),
}));

const acceptsFingerprint: Check = (value) =>
  CHECKS.some(({ name, accepts }) => name === 'fingerprint' && accepts(value));
