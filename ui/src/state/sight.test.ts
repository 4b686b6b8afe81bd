import { expect, it, vi } from "vitest";

import { Sight } from "./sight";

it("tells of what is in sight when that changes", () => {
  const sight = new Sight();
  const told = vi.fn();
  const stop = sight.subscribe(told);
  expect(sight.snapshot()).toBeNull();
  sight.report(3, 9);
  sight.report(3, 9);
  expect(told).toHaveBeenCalledTimes(1);
  expect(sight.snapshot()).toEqual([3, 9]);
  stop();
  sight.report(4, 9);
  expect(told).toHaveBeenCalledTimes(1);
});

it("brings records into sight by who offers it last", () => {
  const sight = new Sight();
  const [first, second] = [seeker(), seeker()];
  sight.seek(1);
  const stopFirst = sight.attach(first);
  const stopSecond = sight.attach(second);
  stopFirst();
  sight.seek(2);
  sight.reveal(3);
  expect(first.seek).not.toHaveBeenCalled();
  expect(second.seek).toHaveBeenCalledWith(2);
  expect(second.reveal).toHaveBeenCalledWith(3);
  sight.scroll(0.9, "windows");
  expect(second.scroll).toHaveBeenCalledExactlyOnceWith(0.9, "windows");
  stopSecond();
  sight.seek(4);
  sight.reveal(5);
  expect(second.seek).toHaveBeenCalledTimes(1);
  expect(second.reveal).toHaveBeenCalledTimes(1);
});

function seeker() {
  return { seek: vi.fn(), reveal: vi.fn(), scroll: vi.fn() };
}
