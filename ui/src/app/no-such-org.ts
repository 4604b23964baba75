import * as text from '#strings/app.ts';
/** The organization does not exist or the user is not a member. The service does not tell which. */
export class NoSuchOrg extends Error {
  readonly slug: string;
  constructor(slug: string) {
    super(text.noSuchOrg(slug));
    this.name = 'NoSuchOrg';
    this.slug = slug;
  }
}
