/** Slugs that the cells of a deployment share. On Node, `lib/node/slug-claims.ts` takes them. */
export interface SlugClaims {
  /** Takes a slug for an organization before the organization has it for others. @returns false if another cell has it */
  claim(slug: string, orgId: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Without a directory of cells, the unique index of the database decides alone. */
export const noClaims: SlugClaims = { claim: async () => true, close: async () => {} };
