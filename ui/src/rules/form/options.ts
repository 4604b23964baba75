/** Options of a field, with the names of some values. */
export const options = <Name extends string>(names: Record<Name, string>, values: readonly Name[]) =>
  values.map((value) => ({ value, label: names[value] }));
