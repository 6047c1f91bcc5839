// SPDX-License-Identifier: Apache-2.0
// Why an object is alive: the way from a register to it.
import type { ObjectView } from 'tern-runtime';

/** "@main %3 → field 1 of #4 → #7 f32[2]"; nothing where the object is not among them. */
export function retainingPath(objects: readonly ObjectView[], id: number): string | undefined {
  const byId = new Map(objects.map((object) => [object.id, object]));
  const object = byId.get(id);
  if (!object) return undefined;
  if (!object.live) return `#${id} ${object.type} is not alive: no register reaches it any more.`;
  const seen = new Set<number>();
  const links: string[] = [`#${id} ${object.type}`];
  let at: ObjectView | undefined = object;
  while (at && !seen.has(at.id)) {
    seen.add(at.id);
    // A register holds it itself, or else the first object that does.
    const holder: ObjectView['holders'][number] | undefined =
      at.holders.find((each) => each.id === 0) ?? at.holders[0];
    if (!holder) break;
    if (holder.id === 0) links.push(holder.text);
    else links.push(`${holder.text.replace(/^object \d+, /, '')} of #${holder.id}`);
    at = holder.id === 0 ? undefined : byId.get(holder.id);
  }
  return links.reverse().join(' → ');
}
