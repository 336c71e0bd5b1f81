/* Arrays that a test exchanges with the code that it tests: inputs come from one file, results go to another.
 * SCALAR is float or double. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define SHIFT 3  /* scalars, so that no vector longer than a scalar is aligned */
#define GUARD 16 /* scalars beyond the end that must stay as they are */

static FILE *inputs, *results;

static void give_up(const char *reason)
{
  fprintf(stderr, "%s\n", reason);
  exit(1);
}

/* An array of NaN, guarded at both ends. */
static SCALAR *fresh(size_t count)
{
  SCALAR *array = malloc((SHIFT + count + GUARD) * sizeof(SCALAR));
  if (array == NULL) {
    give_up("out of memory");
  }
  for (size_t k = 0; k < SHIFT + count + GUARD; ++k) {
    array[k] = (SCALAR)NAN;
  }
  return array + SHIFT;
}

static void release(SCALAR *array, size_t count)
{
  for (size_t k = 0; k < SHIFT; ++k) {
    if (!isnan(array[k - SHIFT])) {
      give_up("written before the start");
    }
  }
  for (size_t k = count; k < count + GUARD; ++k) {
    if (!isnan(array[k])) {
      give_up("written beyond the end");
    }
  }
  free(array - SHIFT);
}

static SCALAR *receive(size_t count)
{
  SCALAR *array = fresh(count);
  if (fread(array, sizeof(SCALAR), count, inputs) != count) {
    give_up("inputs end too early");
  }
  return array;
}

static void send(SCALAR *array, size_t count)
{
  if (fwrite(array, sizeof(SCALAR), count, results) != count) {
    give_up("results cannot be written");
  }
  release(array, count);
}

static size_t whole_blocks(size_t states, size_t lanes)
{
  return (states + lanes - 1) / lanes * lanes;
}

/* The states as blocks, as the generated header describes them; the last one is repeated. */
static SCALAR *in_blocks(const SCALAR *array, size_t size, size_t states, size_t lanes)
{
  const size_t rows = whole_blocks(states, lanes);
  SCALAR *blocks = fresh(rows * size);
  for (size_t s = 0; s < rows; ++s) {
    for (size_t e = 0; e < size; ++e) {
      blocks[lanes * (size * (s / lanes) + e) + s % lanes] = array[size * (s < states ? s : states - 1) + e];
    }
  }
  return blocks;
}

/* Sends the states of blocks one after another. */
static void send_blocks(SCALAR *blocks, size_t size, size_t states, size_t lanes)
{
  SCALAR *array = fresh(states * size);
  for (size_t s = 0; s < states; ++s) {
    for (size_t e = 0; e < size; ++e) {
      array[size * s + e] = blocks[lanes * (size * (s / lanes) + e) + s % lanes];
    }
  }
  release(blocks, whole_blocks(states, lanes) * size);
  send(array, states * size);
}
