thread_local int number = 42;

extern "C" int next_number() { return number++; }
