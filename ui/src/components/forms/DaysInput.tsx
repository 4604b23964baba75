import { NumberInput, type NumberInputProps } from '@mantine/core';
import * as text from '#strings/components/forms.ts';

/** The limit of the API. */
const MAX_DAYS = 3_650;

/** Days as entered: the field is empty or contains text. */
export type EnteredDays = number | string;

/** The message for an entered number of days; null if it is valid. */
export const daysProblem = (days: EnteredDays, max = MAX_DAYS): string | null =>
  Number.isInteger(days) && Number(days) >= 1 && Number(days) <= max ? null : text.enterDays(max);

/** The same for a field that may be empty. */
export const optionalDaysProblem = (days: EnteredDays): string | null =>
  days === '' ? null : daysProblem(days);

/** A field for a number of days. It takes any number, and the form says what is wrong with it. */
export const DaysInput = (props: NumberInputProps) => (
  <NumberInput
    suffix={text.daysSuffix}
    min={1}
    max={MAX_DAYS}
    clampBehavior="none"
    allowDecimal={false}
    {...props}
  />
);
