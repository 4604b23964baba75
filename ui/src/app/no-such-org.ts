/** There is no such organization, or the user is not a member of it: which of both is not told. */
export class NoSuchOrg extends Error {
  readonly slug: string;
  constructor(slug: string) {
    super(`There is no organization “${slug}”, or you are not a member of it.`);
    this.name = 'NoSuchOrg';
    this.slug = slug;
  }
}
