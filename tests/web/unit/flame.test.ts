// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { leftHeavy, sandwich, timeOrder } from '../../../web/src/model/flame.js';

const names = ['@main', 'add', 'mul'];
const event = (name: number, opens: boolean, nanoseconds: number) => ({ name, opens, nanoseconds });

/** main [0, 100] with add [10, 20], mul [30, 70], add [80, 90]. */
const kEvents = {
  names,
  events: [
    event(0, true, 0), event(1, true, 10), event(1, false, 20), event(2, true, 30),
    event(2, false, 70), event(1, true, 80), event(1, false, 90), event(0, false, 100),
  ],
};

describe('a profile', () => {
  it('in the order of time has a box for each call', () => {
    const boxes = timeOrder(kEvents);
    expect(boxes.map(({ name, depth, duration }) => [name, depth, duration]))
      .toEqual([['@main', 0, 100], ['add', 1, 10], ['mul', 1, 40], ['add', 1, 10]]);
    expect(boxes[0]!.self).toBe(40);
  });

  it('left heavy puts equal stacks together, the longest first', () => {
    const boxes = leftHeavy(timeOrder(kEvents));
    expect(boxes.map(({ name, start, duration, count }) => [name, start, duration, count]))
      .toEqual([['@main', 0, 100, 1], ['mul', 0, 40, 1], ['add', 40, 20, 2]]);
  });

  it('as a sandwich has callers and callees', () => {
    const rows = sandwich(timeOrder(kEvents));
    expect(rows.find(({ name }) => name === 'add'))
      .toMatchObject({ self: 20, total: 20, count: 2, callers: [['@main', 20]], callees: [] });
    expect(rows.find(({ name }) => name === '@main')!.callees)
      .toEqual([['mul', 40], ['add', 20]]);
  });

  it('counts a recursive function once in its total', () => {
    const events = [
      event(0, true, 0), event(0, true, 10), event(0, false, 30), event(0, false, 50),
    ];
    const [row] = sandwich(timeOrder({ names, events }));
    expect(row).toMatchObject({ total: 50, self: 50, count: 2 });
  });

  it('with ends that nothing began is drawn as far as it goes', () => {
    expect(timeOrder({ names, events: [event(1, false, 5)] })).toEqual([]);
    expect(leftHeavy([])).toEqual([]);
  });
});
