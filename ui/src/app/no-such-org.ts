/** The organization does not exist or the user is not a member. The service does not tell which. */
export class NoSuchOrg extends Error {
  readonly slug: string;
  constructor(slug: string) {
    super(`The organization “${slug}” does not exist, or you are not a member of it.`);
    this.name = 'NoSuchOrg';
    this.slug = slug;
  }
}
