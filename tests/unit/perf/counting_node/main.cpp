// A program whose library counts on all its nodes.
extern "C" bool count_on_all_nodes();

int main() { return count_on_all_nodes() ? 0 : 1; }
