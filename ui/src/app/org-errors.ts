import * as text from '#strings/app.ts';

/** The page is not available at this host. `action` leads to the host that has it, if known. */
export class WrongHost extends Error {
  readonly title: string;
  readonly action: { label: string; href: string } | undefined;
  constructor(title: string, advice: string, action?: { label: string; href: string }) {
    super(advice);
    this.name = 'WrongHost';
    this.title = title;
    this.action = action;
  }
}

/** The organization does not exist or the user is not a member. The service does not tell which. */
export class NoSuchOrg extends Error {
  readonly slug: string;
  constructor(slug: string) {
    super(text.noSuchOrg(slug));
    this.name = 'NoSuchOrg';
    this.slug = slug;
  }
}
