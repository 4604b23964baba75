export const slug = 'Slug';
export const whatItIs =
  'The name of the project in addresses and for agents. After a change, the former slug keeps working until another project gets it.';
export const saved = 'The slug is saved.';
export const taken = 'Another project has this slug';
export const form = 'Use 2 to 50 lowercase letters, digits and hyphens, without a hyphen at the start or end';
