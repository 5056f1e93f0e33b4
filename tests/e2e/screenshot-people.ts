// The people of the screenshots of organizations.
import type { Actor } from '#tests/support/application.ts';

export interface CompanyPeople {
  owner: Actor;
  billing: Actor;
  member: Actor;
  viewer: Actor;
  /** Invited by username. */
  guest: Actor;
  /** The owner of a suspended organization. */
  suspended: Actor;
  root: Actor;
}
