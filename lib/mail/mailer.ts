/** A mail to one recipient, as HTML and as plain text. */
export interface Mail {
  recipient: string;
  /** One line. */
  subject: string;
  html: string;
  text: string;
  /** The link in the mail, for the log and the local outbox. */
  link?: string | undefined;
  /** Besides {@link MAIL_HEADERS}. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The result of a template. */
export type MailContent = Omit<Mail, 'recipient'> & {
  /** Set in notices, for a mail that collects several. */
  facts?: readonly (readonly [label: string, value: string, url?: string])[];
};

/** A mail with its id, which is the same for all attempts, so that providers can detect duplicates. */
export type OutgoingMail = Mail & { id: string };

/** Hands mails to a provider. */
export interface Mailer {
  /** For the log. */
  readonly name: string;
  /** It sends nothing, and writes the links of mails to the log. */
  readonly logsLinks?: true;
  /**
   * Resolves when the provider has accepted the mail.
   * @param signal aborts the attempt. The caller does not wait for a mailer that ignores it
   */
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<void>;
  /** Closes connections. A later `send` opens new ones. */
  close?(): void;
}

/** Marks the mail as automatic, so that vacation responders do not answer it (RFC 3834). */
export const MAIL_HEADERS = { 'Auto-Submitted': 'auto-generated' };
