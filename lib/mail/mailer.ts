/** A mail to one recipient, as HTML and as plain text. */
export interface Mail {
  recipient: string;
  /** One line. */
  subject: string;
  html: string;
  text: string;
  /** The link in it, for the log of the local outbox. */
  link?: string | undefined;
}

/** What a template makes. */
export type MailContent = Omit<Mail, 'recipient'>;

/** A mail with the id it keeps over all attempts, by which a provider may tell that it has it already. */
export type OutgoingMail = Mail & { id: string };

/** Who takes our mails. */
export interface Mailer {
  /** For the log. */
  readonly name: string;
  /**
   * Resolves when the mail has been taken over for delivery.
   * @param signal gives up; a mailer that ignores it is not waited for
   */
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<void>;
  /** Closes connections; a later `send` opens new ones. */
  close?(): void;
}

/** Says that a program wrote the mail: vacation notices do not answer it (RFC 3834). */
export const MAIL_HEADERS = { 'Auto-Submitted': 'auto-generated' };
