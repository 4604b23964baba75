/** In place of a name: a member who reaches none of the user's projects, or is no member any more. */
export const unknownMember = (isLimited: boolean) => (isLimited ? 'Member you cannot see' : 'Former member');
export const unknownMemberInSentence = (isLimited: boolean) =>
  isLimited ? 'a member you cannot see' : 'a former member';
