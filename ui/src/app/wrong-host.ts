/** What is asked for is not to be had at this host; somewhere else it is, where that is known. */
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
