// A set that is visited by timers. Each member knows its index, so adding and removing are cheap: a `Set` rebuilds its
// table again and again when thousands of members are added and removed every second.

export interface IndexedSetMember {
  /** Its index; -1 when it is in no roster. Only the roster changes it. */
  placeInSet: number;
}

export class IndexedSet<T extends IndexedSetMember> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    if (member.placeInSet >= 0) return;
    member.placeInSet = this.#members.length;
    this.#members.push(member);
  }

  remove(member: T): void {
    const place = member.placeInSet;
    if (place < 0) return;
    member.placeInSet = -1;
    const last = this.#members.pop() as T;
    if (last === member) return;
    last.placeInSet = place;
    this.#members[place] = last;
  }

  all(): T[] {
    return this.#members.slice();
  }

  /** Members may leave while they are visited. */
  visit(each: (member: T) => void): void {
    for (const member of this.all()) if (member.placeInSet >= 0) each(member);
  }
}
