/** The organizations with destinations, as this process knows them. Plain data: on the edge, requests share it. */
export interface FollowedOrgs {
  ids: Set<string>;
  /** When they were read, in milliseconds since 1970; 0: never. */
  readAt: number;
}

export const createFollowedOrgs = (): FollowedOrgs => ({ ids: new Set(), readAt: 0 });
