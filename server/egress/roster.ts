// Who is there, for visitors who come by now and then. Members know their place, so that coming and going costs next to
// nothing: a Set makes its table anew again and again when thousands come and go every second.

export interface RosterMember {
  /** Where it stands; -1 when it does not. Only the roster changes it. */
  rosterPlace: number;
}

export class Roster<T extends RosterMember> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    if (member.rosterPlace >= 0) return;
    member.rosterPlace = this.#members.length;
    this.#members.push(member);
  }

  remove(member: T): void {
    const place = member.rosterPlace;
    if (place < 0) return;
    member.rosterPlace = -1;
    const last = this.#members.pop() as T;
    if (last === member) return;
    last.rosterPlace = place;
    this.#members[place] = last;
  }

  all(): T[] {
    return this.#members.slice();
  }

  /** Members may leave while they are visited. */
  visit(each: (member: T) => void): void {
    for (const member of this.all()) if (member.rosterPlace >= 0) each(member);
  }
}
