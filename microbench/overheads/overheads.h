/* The constructs that are measured. */
#pragma once

typedef struct {
  const char* name;
  void (*run)(long executions);       /* of the construct, around as much work as `reference` does */
  void (*reference)(long executions); /* the same work without it */
  int parts;                          /* of an execution that the figure is for: iterations, tasks */
} Construct;

/* Ends with one without a name. */
extern const Construct constructs[];

/* Locks and the like. */
void prepare_constructs(void);
