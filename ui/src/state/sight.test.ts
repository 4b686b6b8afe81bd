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
  const [first, second] = [vi.fn(), vi.fn()];
  sight.seek(1);
  const scroll = vi.fn();
  const stopFirst = sight.attach({ seek: first, scroll });
  const stopSecond = sight.attach({ seek: second, scroll });
  stopFirst();
  sight.seek(2);
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledWith(2);
  sight.scroll(0.9, "windows");
  expect(scroll).toHaveBeenCalledExactlyOnceWith(0.9, "windows");
  stopSecond();
  sight.seek(3);
  expect(second).toHaveBeenCalledTimes(1);
});
